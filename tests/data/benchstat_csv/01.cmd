benchstat -format csv old.txt new.txt
