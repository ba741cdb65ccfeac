benchstat -format csv units2.txt
