benchstat -format csv -filter -.unit:ns/op -row /size -col /bits -ignore /io,.file new.txt
