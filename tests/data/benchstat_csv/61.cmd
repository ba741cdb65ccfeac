benchstat -format csv -row /io -ignore .fullname old.txt alt.txt
